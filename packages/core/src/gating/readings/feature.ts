import { feature } from '../../feature.ts';

export const readingsFeature = feature('readings', {
  tables: ['read_holdings', 'followed_chains', 'followed_blocks', 'followed_changes', 'followed_contracts'],
});
