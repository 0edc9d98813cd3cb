/**
 * Reloads the console after a session has ended. Until the browser navigates, the old page ignores clicks, because it may already show the
 * sign-in options and the navigation would lose a click. The back button does not show it again either.
 */
export function openAnew(): void {
  document.body.inert = true;
  window.addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
  location.assign('/console');
}
