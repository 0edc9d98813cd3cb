import { feature } from '../../shared/feature.ts';
import { touchesErasure } from './forget.ts';

export { checkFigures } from './figures.ts';
export {
  checkCommunity,
  countTouched,
  type DueTouch,
  endAllTouches,
  endTouches,
  holdTouches,
  isTouched,
  postponeTouches,
  selectDue,
  selectDueCommunities,
  selectEveryone,
  spreadTouch,
  type Touch,
  type TouchCause,
  touch,
} from './queries.ts';

export const touchesFeature = feature('reconcile-queue', { erasures: [touchesErasure], tables: ['role_touches'] });
