-- Tells everybody of a plan limit; of two, the one that is lifted later counts. 0 forgets it.
-- KEYS: plan limit. ARGV: after how long it is lifted, who ran into it.
local now = instant()
local after = tonumber(ARGV[1])
if after == 0 then
  redis.call('DEL', KEYS[1])
else
  -- Eight days at most: a wrong instant must not stop everybody for ever.
  after = math.min(after, 691200000)
  if now + after > (plan(KEYS[1], now)) then
    redis.call('SET', KEYS[1], whole(now + after) .. ' ' .. ARGV[2], 'PX', whole(after))
  end
end
return { now }
