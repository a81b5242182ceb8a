"""FastAPI on uvicorn, with SQLAlchemy's asyncio on aiosqlite: each query switches a greenlet, some block the loop."""
import hashlib
import os
import sys
from contextlib import asynccontextmanager

from fastapi import FastAPI
from sqlalchemy import ForeignKey, select
from sqlalchemy.ext.asyncio import async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship, selectinload


class Base(DeclarativeBase):
    pass


class Author(Base):
    __tablename__ = "author"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    books: Mapped[list["Book"]] = relationship(back_populates="author")


class Book(Base):
    __tablename__ = "book"
    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str]
    author_id: Mapped[int] = mapped_column(ForeignKey("author.id"))
    author: Mapped[Author] = relationship(back_populates="books")


engine = create_async_engine("sqlite+aiosqlite:///books.db")
session = async_sessionmaker(engine, expire_on_commit=False)


@asynccontextmanager
async def lifespan(_):
    async with engine.begin() as connection:
        await connection.run_sync(Base.metadata.create_all)
    async with session() as s:
        s.add_all(Author(name=f"a{i}", books=[Book(title=f"t{i}.{j}") for j in range(20)]) for i in range(50))
        await s.commit()
    yield
    await engine.dispose()


app = FastAPI(lifespan=lifespan)


@app.get("/each")
async def each():
    async with session() as s:
        authors = (await s.scalars(select(Author).limit(12))).all()
        return [len((await s.scalars(select(Book).where(Book.author_id == a.id))).all()) for a in authors]


@app.get("/joined")
async def joined():
    async with session() as s:
        found = await s.scalars(select(Author).options(selectinload(Author.books)).order_by(Author.id).limit(5))
        return [[book.title for book in author.books][:2] for author in found]


@app.get("/login")
async def login():
    return hashlib.pbkdf2_hmac("sha256", b"word", b"salt", 20000).hex()


@app.get("/thread")
def thread():
    return sum(i * i for i in range(20000))


if __name__ == "__main__":
    from loopback import free_port, server, storm

    port = free_port()
    here = os.path.dirname(os.path.abspath(__file__))
    uvicorn = (sys.executable, "-m", "uvicorn", "--app-dir", here, "--port", str(port), "--log-level", "warning")
    with server(*uvicorn, "fastapi_sqlalchemy:app", port=port):
        storm(port, ["/each", "/joined", "/login", "/thread", "/each"] * 40)
