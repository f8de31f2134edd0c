-- Remembers a task as done for a week. KEYS: the plan's claims, seen, workers. ARGV: worker, what it says, the task.
local now = instant()
keep(KEYS[1], ARGV[3], ARGV[1], now, 604800000, 1)
beat(KEYS[2], KEYS[3], now, ARGV[1], ARGV[2])
return { now }
