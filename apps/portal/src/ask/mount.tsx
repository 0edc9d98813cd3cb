import { createRoot } from 'react-dom/client';
import { AskWidget } from './widget.tsx';

/** Puts the widget beside the page, in a tree of its own: what breaks there leaves the page as it is. */
export function mount(): void {
  const place = document.createElement('aside');
  place.setAttribute('aria-label', 'Ask the documentation');
  document.body.append(place);
  const root = createRoot(place, {
    onUncaughtError: () => place.remove(),
  });
  root.render(<AskWidget />);
}
