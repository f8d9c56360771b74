import { Component, type ReactNode } from 'react';
import { strings } from '../strings.ts';
import { Blank } from './blocks.tsx';

/** Keeps the frame of the console when a page fails to render. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <div className="card" role="alert">
        <Blank isPage title={strings.errors.failed}>
          <a className="button" href={location.href}>
            {strings.common.retry}
          </a>
        </Blank>
      </div>
    );
  }
}
