/**
 * Opens the console again after a session has ended. Until the browser is there the old page takes no click, since it
 * may show the ways to sign in already and the navigation would lose one; nor is it shown again by the back button.
 */
export function openAnew(): void {
  document.body.inert = true;
  window.addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
  location.assign('/console');
}
