-- Gives up a task, or all that the worker has claimed.
-- KEYS: the plan's claims, seen, workers. ARGV: worker, what it says, whether by force, the task or nothing.
local now = instant()
local live = claims(KEYS[1], now)
local released = {}
if #ARGV == 4 then
  local lease = live[ARGV[4]]
  if lease and lease[1] ~= ARGV[1] and lease[3] == 0 and ARGV[3] ~= '1' then
    return { now, 0, lease[1], lease[2] }
  end
  if lease then
    released[1] = ARGV[4]
  end
else
  for task, lease in pairs(live) do
    if lease[1] == ARGV[1] and lease[3] == 0 then
      released[#released + 1] = task
    end
  end
end
table.sort(released)
for _, task in ipairs(released) do
  redis.call('HDEL', KEYS[1], task)
end
beat(KEYS[2], KEYS[3], now, ARGV[1], ARGV[2])
return { now, 1, released }
