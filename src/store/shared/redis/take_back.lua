-- Takes admitted calls back, once.
-- KEYS: the operation, then each budget. ARGV: when they were counted, how many, then the step of each budget.
local now = instant()
if redis.call('GET', KEYS[1]) == '1' then
  redis.call('DEL', KEYS[1])
  for n = 2, #KEYS do
    local at = whole(math.floor(tonumber(ARGV[1]) / tonumber(ARGV[n + 1])))
    local calls, rest = string.match(redis.call('HGET', KEYS[n], at) or '', '^(%d+)( .*)$')
    if calls then
      redis.call('HSET', KEYS[n], at, whole(math.max(0, calls - tonumber(ARGV[2]))) .. rest)
    end
  end
end
return { now }
