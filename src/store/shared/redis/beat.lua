-- Notes that a worker is at work. KEYS: seen, workers. ARGV: worker, what it says.
local now = instant()
beat(KEYS[1], KEYS[2], now, ARGV[1], ARGV[2])
return { now }
