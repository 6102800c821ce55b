import { Component } from 'react';
import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { text } from './strings.ts';

/** A defect in one screen leaves the rest of the window standing. `place` changing tries again. */
export class ScreenBoundary extends Component<
  { readonly place: string; readonly children: ReactNode },
  { readonly brokenAt: string | null }
> {
  override state = { brokenAt: null };

  static getDerivedStateFromError(): { readonly brokenAt: string | null } {
    return { brokenAt: '' };
  }

  override componentDidCatch(error: Error): void {
    console.error(error);
  }

  override componentDidUpdate(before: { readonly place: string }): void {
    if (before.place !== this.props.place && this.state.brokenAt !== null) this.setState({ brokenAt: null });
  }

  override render(): ReactNode {
    if (this.state.brokenAt === null) return this.props.children;
    return (
      <EmptyState
        title={text.broken}
        icon="warn"
        action={<Button onClick={() => this.setState({ brokenAt: null })}>{text.showAgain}</Button>}
      >
        {text.brokenMore}
      </EmptyState>
    );
  }
}
