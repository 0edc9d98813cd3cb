import type { Random } from '@latchkey/kernel';

const prefix = 'ERASED#USER#';

export function pseudonymFor(random: Random): string {
  return prefix + random.id();
}

/** True for the placeholder of a person who was forgotten. */
export function isErased(userId: string): boolean {
  return userId.startsWith(prefix);
}
