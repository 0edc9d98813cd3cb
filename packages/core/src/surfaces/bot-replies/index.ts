export { type Names, plainName, readNames } from '../../gating/naming/index.ts';
export {
  type AdminWord,
  answerShow,
  buttonsOf,
  changeCount,
  changeSetId,
  communityOfChangeSet,
  isAdminWord,
  requireAdmin,
  runAdminWord,
} from './admin-words.ts';
export { answer, type BotAnswer, type BotButton, wordsOf } from './answer.ts';
export { decisionInWords, sharesInWords } from './change-set-words.ts';
export { linkToChangeSet, linkToCommunity } from './console-links.ts';
export { findMember } from './find-member.ts';
export { isShownToMember, refusalInWords, whyNot, whyRoles } from './why.ts';
