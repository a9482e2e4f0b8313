import React, { useState } from 'react';

type Props = { title: string };

/** A panel. */
export function Panel({ title }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <div onClick={() => setOpen(!open)}>
      it's {title} {'}'} // no comment
    </div>
  );
}

export const List = React.memo(({ items }: { items: string[] }) => (
  <ul>{items.map((item) => <li key={item}>{item}</li>)}</ul>
));
