export { ApiError, type ApiErrorBody } from './api-error.ts';
export { type CallOptions, type Client, type ClientOptions, createClient } from './client.ts';
export type { Credentials, Secret } from './credentials.ts';
export type { Operations } from './operations.ts';
export { eachItem, eachPage } from './paging.ts';
export type { CallInput, CallResult, ItemOf, PagedRoute, Route } from './routes.ts';
export { verifyWebhook, type WebhookEvent, type WebhookMessage, WebhookSignatureError } from './webhooks.ts';
