/** Whether a key opens the search: Ctrl or Cmd with K anywhere, a slash outside of text fields. */
export function isSearchKey(event: KeyboardEvent): boolean {
  if (event.isComposing || event.altKey || event.defaultPrevented) return false;
  if (event.ctrlKey !== event.metaKey) return event.key.toLowerCase() === 'k' && !event.shiftKey;
  return event.key === '/' && !event.ctrlKey && !isWriting(event.target);
}

function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName);
}
