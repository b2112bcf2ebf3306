// Stands in for `policy-of.ts` in the edge build, which keeps no policies.
export { makePolicy as policyOf } from './policy.js'
