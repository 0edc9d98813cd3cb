import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { appWebhookOperations } from './operations.ts';

export const appWebhooksFeature = feature('app-webhooks', { resources: [ownOperations(appWebhookOperations)] });
