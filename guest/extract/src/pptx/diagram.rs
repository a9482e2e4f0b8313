//! Diagrams (SmartArt): a tree of points, as a list.

use std::collections::BTreeMap;
use std::io::BufRead;

use super::SlideBlock;
use super::budget::Budget;
use super::text_body::{NO_LINKS, TextBodies};
use crate::failure::EarlyStop;
use crate::limits::LIST_LEVELS;
use crate::markdown::{Marker, one_line};
use crate::xml::{Xml, XmlEvent};

/// The data of a diagram.
#[derive(Debug, Default)]
pub struct Diagram {
    points: Vec<DiagramPoint>,
    /// Points by their id.
    by_id: BTreeMap<String, usize>,
    connections: Vec<DiagramConnection>,
    /// Id of the relationship of the slide to a drawing of the diagram.
    pub drawing: Option<String>,
}

/// A point of a diagram.
#[derive(Debug)]
struct DiagramPoint {
    text: String,
    /// True for the root, whose children are the outermost items.
    is_root: bool,
}

/// A connection of a point to its parent.
#[derive(Debug)]
struct DiagramConnection {
    parent: String,
    child: String,
    /// Position among the children of the parent.
    position: u32,
}

impl Diagram {
    /// Reads the part with the data of a diagram. Returns it, and the error if this is not all.
    pub fn read<R: BufRead>(mut xml: Xml<R>, budget: &mut Budget) -> (Self, Result<(), EarlyStop>) {
        let mut diagram = Self::default();
        let end = diagram.elements(&mut xml, budget);
        (diagram, end)
    }

    fn elements<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        budget: &mut Budget,
    ) -> Result<(), EarlyStop> {
        loop {
            let element = match xml.next()? {
                XmlEvent::Start(element) => element,
                XmlEvent::Eof => return Ok(()),
                XmlEvent::End | XmlEvent::Text(_) | XmlEvent::Nothing => continue,
            };
            match element.name() {
                "pt" => {
                    let kind = element.attribute("type");
                    // These repeat other points, for one form of the diagram.
                    if kind.as_deref() == Some("pres") {
                        xml.skip()?;
                        continue;
                    }
                    budget.take_item()?;
                    let id = element.attribute("modelId").unwrap_or_default();
                    self.by_id.entry(id).or_insert(self.points.len());
                    self.points.push(DiagramPoint {
                        text: String::new(),
                        is_root: kind.as_deref() == Some("doc"),
                    });
                }
                "t" => {
                    let mut bodies = TextBodies {
                        links: NO_LINKS,
                        inherited: None,
                        budget,
                    };
                    let words = bodies.words(xml)?;
                    if let Some(point) = self.points.last_mut() {
                        point.text.push_str(&words);
                    }
                }
                "cxn" => {
                    let kind = element.attribute("type");
                    if matches!(kind.as_deref(), None | Some("parOf")) {
                        budget.take_item()?;
                        self.connections.push(DiagramConnection {
                            parent: element.attribute("srcId").unwrap_or_default(),
                            child: element.attribute("destId").unwrap_or_default(),
                            position: element.number("srcOrd").unwrap_or_default(),
                        });
                    }
                }
                "dataModelExt" => self.drawing = element.attribute("relId"),
                _ => {}
            }
        }
    }

    /// Returns the items of the list. Each point is in it once.
    pub fn items(mut self) -> Vec<SlideBlock> {
        let mut children: Vec<Vec<(u32, usize)>> = vec![Vec::new(); self.points.len()];
        for connection in &self.connections {
            if let Some(parent) = self.by_id.get(&connection.parent)
                && let Some(child) = self.by_id.get(&connection.child)
                && let Some(children) = children.get_mut(*parent)
            {
                children.push((connection.position, *child));
            }
        }
        for children in &mut children {
            // The last is the first to be taken from the stack.
            children.sort_by_key(|(position, _)| std::cmp::Reverse(*position));
        }
        let mut items = Vec::new();
        let mut stack = Vec::new();
        // The root comes first. Points that it does not lead to follow in the order of the file,
        // such as the texts of arrows.
        let roots = (0..self.points.len()).filter(|index| self.points[*index].is_root);
        let others = 0..self.points.len();
        let beginnings: Vec<usize> = roots.chain(others).collect();
        for beginning in beginnings {
            stack.push((beginning, 0));
            while let Some((index, level)) = stack.pop() {
                let Some(point) = self.points.get_mut(index) else {
                    continue;
                };
                let text = std::mem::take(&mut point.text);
                let is_root = std::mem::take(&mut point.is_root);
                if !one_line(&text).is_empty() {
                    items.push(SlideBlock::Item(level, Marker::Bullet, text));
                }
                // Connections may form a cycle: the children are taken with their first parent.
                let children = children.get_mut(index).map(std::mem::take);
                let level = if is_root { level } else { level + 1 };
                let level = level.min(LIST_LEVELS - 1);
                let children = children.into_iter().flatten();
                stack.extend(children.map(|(_, child)| (child, level)));
            }
        }
        items
    }
}
