import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { reviewOperations } from './operations.ts';

export const reviewsFeature = feature('reviews', { resources: [ownOperations(reviewOperations)] });
