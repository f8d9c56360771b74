import './styles/tokens.css';
import './styles/base.css';
import './styles/ui.css';
import './styles/shell.css';
import './styles/tree.css';
import './styles/search.css';
import './styles/map.css';
import './styles/act.css';
import './styles/form.css';
import './styles/create.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { beginSession } from './api/session.ts';
import { App } from './app.tsx';

void beginSession();
addEventListener('hashchange', () => void beginSession());

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
