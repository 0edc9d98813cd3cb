export { ApiError, type CallOptions, type Client, type ClientOptions, createClient } from './client.ts';
export type { ApiIndex, CallInput, CallResult } from './infer.ts';
