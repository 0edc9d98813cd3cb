export {
  ApiError,
  type ApiErrorBody,
  type CallOptions,
  type Client,
  type ClientOptions,
  type Credentials,
  createClient,
  type InvalidPlace,
  isApiError,
  type KnownApiError,
  type KnownCode,
  type Secret,
} from './client.ts';
export type { ErrorCode, ErrorStatuses, EventData, Operations } from './operations.ts';
export { eachItem, eachPage } from './paging.ts';
export type { CallInput, CallResult, ItemOf, PagedRoute, Route } from './routes.ts';
export {
  verifyWebhook,
  type WebhookEvent,
  type WebhookEventType,
  type WebhookMessage,
  WebhookSignatureError,
} from './webhooks.ts';
