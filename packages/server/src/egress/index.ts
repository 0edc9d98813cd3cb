export { agentTo, connectTo, fetchTo } from './configured.ts';
export { createEgress, type EgressOptions } from './create-egress.ts';
export { connectGuarded, guardedFetch, permitSocketTo } from './guarded.ts';
