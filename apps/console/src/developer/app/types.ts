import type { Answer } from '../../shared/api/index.ts';

export type App = Answer<'GET /client-apps/{id}'>;

/** How long a replaced key or secret may live on. */
export const overlaps = [
  { value: '0', label: 'Now' },
  { value: '3600', label: 'In 1 hour' },
  { value: '86400', label: 'In 1 day' },
  { value: '604800', label: 'In 7 days' },
] as const;
