/** Follow-up questions: recognized by how they begin, or by a pronoun for the subject. */
const beginsAsFollowUp = /^\s*(?:and|but|also|then|what about|how about|why|why not|what if|for|on|with)\b/i;
const standsForSubject = /\b(?:it|its|that|this|they|them|their|those|these|there|one|same)\b/i;
const shortWords = 3;

/** Whether a question cannot be understood without the one before it. */
export function isFollowUp(question: string): boolean {
  const words = question.trim().split(/\s+/).filter(Boolean);
  return beginsAsFollowUp.test(question) || standsForSubject.test(question) || words.length < shortWords;
}

/** Adds the subject of the previous question to a follow-up. */
export function withSubject(question: string, before: string | undefined): string {
  return before !== undefined && isFollowUp(question) ? `${question} ${before}` : question;
}
