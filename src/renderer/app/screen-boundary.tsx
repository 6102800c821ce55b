import { Component } from 'react';
import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { text } from './strings.ts';

/** A defect in one screen leaves the rest of the window standing. Give it a key: another screen is tried afresh. */
export class ScreenBoundary extends Component<{ readonly children: ReactNode }, { readonly isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError(): { readonly isBroken: boolean } {
    return { isBroken: true };
  }

  override componentDidCatch(error: Error): void {
    console.error(error);
  }

  override render(): ReactNode {
    if (!this.state.isBroken) return this.props.children;
    return (
      <EmptyState
        title={text.broken}
        icon="warn"
        action={<Button onClick={() => this.setState({ isBroken: false })}>{text.showAgain}</Button>}
      >
        {text.brokenMore}
      </EmptyState>
    );
  }
}
