import { readFileSync } from 'node:fs'

/** The Lua script by which Redis takes, peeks, settles and resets. The build puts its text here, without comments. */
export const SCRIPT = readFileSync(new URL('./script.lua', import.meta.url), 'utf8')
