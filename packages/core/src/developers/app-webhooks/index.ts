import { feature } from '../../shared/feature.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { appWebhookOperations } from './operations.ts';

export const appWebhooksFeature = feature('app-webhooks', { resources: [ownOperations(appWebhookOperations)] });
