import { defineModule } from '../../shared/module.ts';
import { axieInfinity } from './operations.ts';

export const axieInfinityModule = defineModule('axie-infinity', { resources: [axieInfinity] });
