-- The claims of a plan; writes nothing. KEYS: the plan's claims.
local now = instant()
return { now, listed((claims(KEYS[1], now))) }
