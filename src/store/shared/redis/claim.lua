-- Claims a task: the one that the worker has already, else the first that nobody has.
-- KEYS: the plan's claims, seen, workers. ARGV: worker, what it says, the lease's length, then the open tasks.
local now = instant()
local live, dead = claims(KEYS[1], now)
local task
for n = 4, #ARGV do
  local lease = live[ARGV[n]]
  if lease and lease[1] == ARGV[1] and lease[3] == 0 then
    task = ARGV[n]
    break
  end
end
if not task then
  for n = 4, #ARGV do
    if not live[ARGV[n]] then
      task = ARGV[n]
      break
    end
  end
end
local till = 0
if task then
  local length = tonumber(ARGV[3])
  till = now + length
  live[task] = { ARGV[1], till, 0 }
  keep(KEYS[1], task, ARGV[1], now, length, 0)
end
for _, gone in ipairs(dead) do
  if gone ~= task then
    redis.call('HDEL', KEYS[1], gone)
  end
end
beat(KEYS[2], KEYS[3], now, ARGV[1], ARGV[2], task)
return { now, task or '', till, listed(live) }
