export { deploySafes, type SafeChain } from './deploy-safes.ts';
export { type EvmWorld, someAddresses, startEvmWorld } from './evm-world.ts';
export { type FaultProxy, type RpcFault, startFaultProxy } from './fault-proxy.ts';
export { type IdleTimers, idleTimers } from './idle-timers.ts';
export { type Gateway, offchainLookupContract, startGateway } from './offchain-lookup.ts';
