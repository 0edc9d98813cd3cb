export { createEgress, type EgressOptions } from './create-egress.ts';
export { agentTo, connectGuarded, connectTo, fetchTo, guardedFetch, permitSocketTo } from './guarded.ts';
