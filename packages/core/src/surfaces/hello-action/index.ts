import { feature } from '../../shared/feature.ts';
import { helloAction } from './operations.ts';

export const helloActionFeature = feature('hello-action', { resources: [helloAction] });
