/** Stands in for `announced.ts` in the edge build: there is no response that `onReject` could reach. */
export const announced = <WithBody>(withBody: WithBody): WithBody => withBody
