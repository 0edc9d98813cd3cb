export {
  ApiError,
  type ApiErrorBody,
  type CallOptions,
  type Client,
  type ClientOptions,
  type Credentials,
  createClient,
  type KnownCode,
  type Secret,
} from './client.ts';
export type { ErrorCode, Operations } from './operations.ts';
export { eachItem, eachPage } from './paging.ts';
export type { CallInput, CallResult, ItemOf, PagedRoute, Route } from './routes.ts';
export { verifyWebhook, type WebhookEvent, type WebhookMessage, WebhookSignatureError } from './webhooks.ts';
