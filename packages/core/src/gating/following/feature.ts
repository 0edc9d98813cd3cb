import { feature } from '../../feature.ts';

export const followingFeature = feature('following', { tables: ['rule_assets', 'rule_indexes', 'rule_set_changes'] });
