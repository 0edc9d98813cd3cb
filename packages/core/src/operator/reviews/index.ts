import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { reviewOperations } from './operations.ts';

export const reviewsModule = defineModule('reviews', { resources: [ownOperations(reviewOperations)] });
