import { feature } from '../../shared/feature.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { chatAccountOperations } from './operations.ts';

export const chatAccountsFeature = feature('chat-accounts', { resources: [ownOperations(chatAccountOperations)] });
