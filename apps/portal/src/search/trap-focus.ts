const focusable = 'a[href], button:not([disabled]), input:not([disabled]), select, textarea, [tabindex="0"]';

/** Keeps the Tab key within an element. */
export function keepFocus(event: KeyboardEvent, within: HTMLElement | null): void {
  const stops = [...(within?.querySelectorAll<HTMLElement>(focusable) ?? [])].filter(({ tabIndex }) => tabIndex >= 0);
  const first = stops[0];
  const last = stops.at(-1);
  const leaves = event.shiftKey ? document.activeElement === first : document.activeElement === last;
  if (!leaves) return;
  event.preventDefault();
  (event.shiftKey ? last : first)?.focus();
}
