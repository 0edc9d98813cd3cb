import { feature } from '../../feature.ts';
import { membersErasure } from './forget.ts';

export const membersFeature = feature('members', { erasures: [membersErasure], tables: ['community_members'] });
