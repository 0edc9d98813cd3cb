/** The buttons that look like this one; runs in the page. A filled one differs from the page, and others from it. */
export function filledLike(main: Element, name: string): (string | null)[] {
  const colorOf = (element: Element | undefined) => element && getComputedStyle(element).backgroundColor;
  const all = [...main.querySelectorAll('button:not(:disabled), a')].filter((one) => one.checkVisibility());
  const color = colorOf(all.find(({ textContent }) => textContent === name));
  const isFilled = color !== 'rgba(0, 0, 0, 0)' && color !== colorOf(document.body);
  return isFilled ? all.filter((one) => colorOf(one) === color).map(({ textContent }) => textContent) : [];
}
