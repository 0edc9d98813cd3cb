let isSettled = false;
let waiting: FrameRequestCallback | undefined;

/**
 * Until the page has come alive, the head stays as it was sent. A page comes alive in small steps, and what its title and
 * classes are is known after the last one; writing them after each would lay the whole page out again every time.
 */
export function requestHead(write: FrameRequestCallback): number {
  if (isSettled) return requestAnimationFrame(write);
  waiting = write;
  return 0;
}

export function cancelHead(id: number): void {
  if (id === 0) waiting = undefined;
  else cancelAnimationFrame(id);
}

/** The page is alive. */
export function settleHead(): void {
  isSettled = true;
  if (waiting !== undefined) requestAnimationFrame(waiting);
  waiting = undefined;
}
