import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { appWebhookOperations } from './operations.ts';

export const appWebhooksModule = defineModule('app-webhooks', { resources: [ownOperations(appWebhookOperations)] });
