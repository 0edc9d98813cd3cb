export { touchesFeature } from './feature.ts';
export { checkFigures } from './figures.ts';
export {
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
} from './queries.ts';
export { checkCommunity, type Touch, type TouchCause, touch } from './touch.ts';
