export { type Names, plainName, readNames } from '../../gating/naming/index.ts';
export {
  type AdminWord,
  buttonsOf,
  changeCount,
  communityOfPlan,
  isAdminWord,
  planId,
  requireAdmin,
  runAdminWord,
  showPlan,
} from './admin-words.ts';
export { answer, type BotAnswer, type BotButton, wordsOf } from './answer.ts';
export { linkToCommunity, linkToPlan } from './console-links.ts';
export { findMember } from './find-member.ts';
export { decisionInWords, sharesInWords } from './plan-words.ts';
export { isShownToMember, whyNot, whyRoles } from './why.ts';
