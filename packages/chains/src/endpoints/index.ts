export type { CircuitOptions } from './circuit.ts';
export type { Endpoint, EndpointQuestion, ReceivedAnswer } from './endpoint.ts';
export { EndpointFault, EndpointRefusal, EndpointsFailed } from './failures.ts';
export { askJsonRpc, type JsonRpcRequest, type RpcFetch } from './json-rpc.ts';
export {
  type AskOptions,
  type CollectOptions,
  createEndpointPool,
  type EndpointPool,
  type EndpointPoolOptions,
  type EndpointReport,
} from './pool.ts';
export { systemTimers, type Timers } from './timers.ts';
