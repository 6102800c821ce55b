import { iconShapes } from './icon-shapes.tsx';
import type { IconName } from './icon-shapes.tsx';

/** A drawing beside words. It is hidden from assistive technology unless `label` is its only word. */
export function Icon(props: {
  readonly name: IconName;
  readonly size?: 'normal' | 'small';
  readonly className?: string;
  readonly label?: string;
}) {
  const { name, size = 'normal', className = '', label } = props;
  const classes = `i${size === 'small' ? ' s' : ''}${className === '' ? '' : ` ${className}`}`;
  return (
    <svg
      className={classes}
      viewBox="0 0 16 16"
      focusable="false"
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
    >
      {iconShapes[name]}
    </svg>
  );
}
