import { feature } from '../../shared/feature.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { reviewOperations } from './operations.ts';

export const reviewsFeature = feature('reviews', { resources: [ownOperations(reviewOperations)] });
