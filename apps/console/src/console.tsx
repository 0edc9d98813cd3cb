import { createRoot } from 'react-dom/client';
import { ConsoleApp } from './app/console-app.tsx';
import { loadMessages } from './messages/index.ts';
import { readPageData } from './read-page-data.ts';
import './app/console.css';

const data = readPageData();
const root = document.getElementById('root');
if (root !== null && data.page === 'console')
  void loadMessages().then(() => createRoot(root).render(<ConsoleApp data={data} />));
