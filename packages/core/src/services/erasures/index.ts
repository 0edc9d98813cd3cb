import type { Random } from '@latchkey/kernel';

const prefix = 'ERASED#USER#';

export function pseudonymFor(random: Random): string {
  return prefix + random.id();
}

/** Whether an id is the placeholder of an erased user. */
export function isErased(userId: string): boolean {
  return userId.startsWith(prefix);
}
