-- The workers seen lately; writes nothing. KEYS: workers.
local now = instant()
return { now, redis.call('HGETALL', KEYS[1]) }
